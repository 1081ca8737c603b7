import { expect } from 'chai'
import { describeWeb } from '../../helpers/web/web.js'

describeWeb('/docs/try', ({ web }) => {
  it('is a page for everybody, all of whose files are ours', async () => {
    const { status, headers, text } = await web.request('/docs/try')
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8'])
    const linked = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path = '']) => path)
    const files = linked.filter((path) => path !== '/docs')
    expect(files).to.have.length.above(3)
    for (const path of files) {
      expect(path).to.match(/^\/[^/]/)
      const file = await web.request(path)
      expect([path, file.status]).to.deep.equal([path, 200])
      expect(file.headers.get('content-type')).to.match(
        /^(text\/(css|javascript)|application\/json|image\/svg\+xml)/,
      )
    }
  })

  it('leads back to the reference', async () => {
    expect((await web.request('/docs/try')).text).to.match(/<a href="\/docs">[^<]*API<\/a>/)
  })

  it('lets no script run but from our files, and nothing come from elsewhere', async () => {
    const { headers, text } = await web.request('/docs/try')
    expect(headers.get('content-security-policy'))
      .to.include("script-src 'self';")
      .and.not.to.match(/https?:|\*/)
    expect(text).not.to.match(/<script>|<script(?![^>]* src=)|\son\w+=|https?:/)
  })

  it('shows our own document, and asks no validator about it', async () => {
    const { text } = await web.request('/docs/try')
    const [, path = ''] = /src="([^"]*docs\.js)"/.exec(text) ?? []
    const { text: script } = await web.request(path)
    expect(script).to.include("url: '/openapi.json'").and.to.include('validatorUrl: null')
  })
})
