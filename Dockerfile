FROM node:24.21-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# No stage runs the install scripts of packages. The only script that a server can need compiles better-sqlite3 12, the
# SQLite driver for Node 20. On Node 24, the server loads better-sqlite3-napi, whose package includes the binaries.
# Optional dependencies are still installed, because they include the binaries of @node-rs/argon2.
FROM base AS build-deps
RUN npm ci --ignore-scripts

FROM build-deps AS build
COPY . .
RUN npm run build

FROM base AS production-deps
COPY scripts/lib.mjs scripts/slim.mjs scripts/
RUN npm ci --omit=dev --ignore-scripts && node scripts/slim.mjs

FROM node:24.21-slim AS runtime
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
RUN mkdir data && chown node:node data
COPY --from=production-deps /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
USER node
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "process.env.WORKER === 'only' || fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/delivery`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/main.js"]
