import Router from '@koa/router'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'

/** This process has only Koa, its router and its body parser, with JSON in and JSON out. */
const router = new Router().post('/webhooks/lineId/:lineId', (ctx) => {
  ctx.body = { success: (ctx.request.body as { intent?: string }).intent === 'message' }
})
new Koa()
  .use(bodyParser())
  .use(router.routes())
  .listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('ready'))
process.on('disconnect', () => process.exit())
