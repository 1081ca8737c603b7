import type { RouterMiddleware } from '@koa/router'
import { assetPath } from './assets.js'

/** Swagger UI from its package, which draws /openapi.json; started by a file, because no script may be inline. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Linehook API</title>
    <link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
    <link rel="stylesheet" href="${assetPath('swagger-ui.css')}">
  </head>
  <body>
    <noscript>This page needs JavaScript. Without it, read <a href="/openapi.json">/openapi.json</a>.</noscript>
    <nav style="padding: 0.75rem 1.25rem; font-family: sans-serif"><a href="/console">← Linehook console</a></nav>
    <main id="swagger-ui"></main>
    <script src="${assetPath('swagger-ui.js')}"></script>
    <script src="${assetPath('docs.js')}"></script>
  </body>
</html>
`

export const showDocs: RouterMiddleware = (ctx) => {
  ctx.type = 'html'
  ctx.body = PAGE
}
