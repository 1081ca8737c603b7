import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { assetPath } from '../assets.js'
import { brandingOf } from '../branding.js'

/**
 * Swagger UI from its package, for trying operations; a file starts it, because no script may be inline. It is half a
 * megabyte, so the reference itself does without it.
 */
const pageIn = (name: string, logo: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Try the ${name} API</title>
    <meta name="description" content="The ${name} API, with a form to try each operation.">
    <link rel="icon" href="${logo}">
    <link rel="stylesheet" href="${assetPath('swagger-ui.css')}">
    <link rel="stylesheet" href="${assetPath('docs.css')}">
  </head>
  <body>
    <noscript>This page needs JavaScript. The <a href="/docs">reference</a> does not.</noscript>
    <nav style="padding: 0.75rem 1.25rem; font-family: sans-serif"><a href="/docs">← ${name} API</a></nav>
    <div id="swagger-ui"></div>
    <script src="${assetPath('swagger-ui.js')}"></script>
    <script src="${assetPath('docs.js')}"></script>
    <script src="${assetPath('packaged.js')}"></script>
  </body>
</html>
`

export function showTry({ config }: Context): Middleware {
  const { name, logo } = brandingOf(config)
  const page = pageIn(name.replaceAll('&', '&amp;'), logo)
  return (ctx) => {
    ctx.type = 'html'
    ctx.body = page
  }
}
