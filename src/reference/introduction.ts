/**
 * What a reader of the reference must know before the first request.
 * @param publicUrl how the server is reached from outside; its pages are linked from there
 */
export const introduction = (publicUrl: string): string =>
  `
The API of Gosset, a self-hosted server for A/B experiments: read teams, projects and experiments, define and start
experiments, and read their results.

## From a token to the first request

1. **Make a token.** Sign in at [${publicUrl}/login](${publicUrl}/login), open
   [API Tokens](${publicUrl}/settings/api-tokens), give the token a name and a permission, and copy the value: it is
   shown once. Whoever runs the server can also make one on its command line:
   \`npm run -s admin -- tokens:create --email ann@example.com --name laptop --permission write\`
2. **Authorize.** Press *Authorize* above the operations on this page, paste the token under \`bearer\`, and *Try it out*
   sends it along. Elsewhere it is the header \`Authorization: Bearer gos_...\`
3. **Ask for your teams**, then for the projects of one: there is no list of all projects.

\`\`\`sh
curl -H 'Accept: application/json' -H "Authorization: Bearer $TOKEN" ${publicUrl}/api/teams
\`\`\`

A *Read only* token has the ability \`read\`, a *Read & write* token \`read\` and \`write\`. It works in all teams of its
user, with the role that the user has in each: every operation says which ability and which roles it needs. A token does
not expire; revoke it where it was made. It is a secret: never put it into a page or a public repository. What sites and
their back ends call (Delivery, Decisions, Collection) takes the public \`client_key\` of a project instead.

## What all operations have in common

- **Requests and answers are JSON**: send \`Accept: application/json\`, and \`Content-Type: application/json\` with a body
  (at most 1 MiB). Moments are ISO 8601 in UTC with microseconds.
- **Errors** are \`{"message": "..."}\`, and 422 has \`errors\` besides: everything that is wrong, by the path of the field.
  401: no valid token; 403: the ability or role does not suffice; 404: it does not exist, or you cannot see it.
- **Rate limit.** 60 requests a minute and user, all tokens together, unless an administrator has set another limit.
  \`X-RateLimit-Remaining\` says what is left; above it the answer is 429, and \`Retry-After\` says how many seconds to
  wait. A 304 does not count.
- **ETags.** Every record and list has one. Sent back in \`If-None-Match\` it makes asking again cheap (304); in \`If-Match\`
  of a change it makes sure that nobody else's change is lost (412: read again, and decide again).
- **Retries.** GET, PUT, PATCH and DELETE may simply be sent again. For a POST choose an \`Idempotency-Key\`: for 24 hours
  the same request with the same key is done once, and gets the first answer again. After 503 wait \`Retry-After\` seconds.
- **Dry runs.** \`dry_run=1\` on any change checks everything and answers as the change would, but stores nothing.

The document itself is at [openapi.json](${publicUrl}/docs/openapi.json) and
[openapi.yaml](${publicUrl}/docs/openapi.yaml), for generators of clients and for Postman.
`.trim();
