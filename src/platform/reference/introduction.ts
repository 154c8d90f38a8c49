/**
 * The introduction to the reference.
 * @param publicUrl the public URL of the server, for links to its pages
 */
export const introduction = (publicUrl: string): string =>
  `
Gosset is a self-hosted server for A/B experiments. Use this API to read teams and projects, define and start
experiments, and read their results.

## From a token to the first request

1. **Create a token.** Sign in at [${publicUrl}/login](${publicUrl}/login), open
   [API tokens](${publicUrl}/settings/api-tokens), give the token a name and a permission, and copy the value: it is
   shown only once. Operators can also create a token on the server's command line:
   \`npm run -s admin -- tokens:create --email ann@example.com --name laptop --permission write\`
2. **Authorize.** Click *Authorize* above the operations on this page and paste the token under \`bearer\`.
   *Try it out* then sends it. In your own code, send the header \`Authorization: Bearer gos_...\`
3. **List your teams**, then the projects of a team. There is no list of all projects.

\`\`\`sh
curl -H 'Accept: application/json' -H "Authorization: Bearer $GOSSET_TOKEN" ${publicUrl}/api/teams
\`\`\`

The samples take the token from the environment variable \`GOSSET_TOKEN\`, and the \`client_key\` of a project from
\`GOSSET_CLIENT_KEY\`. Most ids in the samples are from the demo.

A *Read only* token has the ability \`read\`. A *Read & write* token has \`read\` and \`write\`. A token works in all teams
of its user, with the user's role in each team. It may be limited to certain projects (everything else returns 404) and may expire (401).
Every operation lists the required ability and roles. Revoke tokens under API tokens or on the command line. A token is a secret: never put it into a page or a public repository. Sites and
their back ends use the public \`client_key\` of a project instead (Delivery, Decisions, Collection).

## Conventions

- **JSON.** Requests and responses are JSON. Send \`Accept: application/json\`, and
  \`Content-Type: application/json\` if the request has a body (at most 1 MiB). Bodies may be compressed with gzip or
  deflate (\`Content-Encoding\`). Timestamps are ISO 8601 in UTC with microseconds.
- **Errors** are \`{"message": "...", "code": "..."}\`. Codes are stable, and this reference lists them for each response. A 422 response
  also has \`errors\`: all errors by field path. 401: no valid token. 403: the token lacks the ability, or the user's
  role does not allow the action. 404: the record does not exist, or you cannot see it.
- **Rate limit.** 60 requests per minute per user, across all tokens, unless an administrator has set a different limit.
  \`X-RateLimit-Remaining\` is the number of remaining requests. Above the limit, the response is 429 and
  \`Retry-After\` is the number of seconds to wait. A 304 response to the exact ETag does not count; 404 and 405 responses do.
- **Conditional requests.** Every record and list has an ETag unless its description says otherwise. Send it in \`If-None-Match\` to avoid transferring
  unchanged data (304). Send it in \`If-Match\` to prevent lost updates (412: read the record again and repeat the change).
- **Retries.** You can retry GET, PUT, PATCH and DELETE. For a POST, choose an \`Idempotency-Key\`: for 24 hours the same
  request with the same key is executed once, and a retry gets the first response. After 503, wait \`Retry-After\` seconds.
- **Dry runs.** With \`dry_run=1\`, a change runs all checks and returns the same response, but stores nothing.

The OpenAPI document is at [openapi.json](${publicUrl}/docs/openapi.json) and
[openapi.yaml](${publicUrl}/docs/openapi.yaml), for client generators and for Postman.
`.trim();
