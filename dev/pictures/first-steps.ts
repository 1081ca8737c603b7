import { writeFile } from 'node:fs/promises'
import gifenc from 'gifenc'
import type { Page } from 'playwright-core'
import type { TestLine } from '../../test/helpers/factories.js'

interface Frame {
  pixels: Uint8Array
  width: number
  height: number
  /** The time for which it is shown. */
  ms: number
}

/** GitHub shows the README's pictures at any size, but readers would not wait for a larger one. */
const MAX_BYTES = 1_000_000
const COLOURS = 96

/**
 * Films the first steps with a line: its URL, a text to a phone, the answer of the phone, and the event at a server.
 *
 * @param film.serverUrl a server that answers 200
 * @throws Error if the film is larger than a megabyte
 */
export async function filmFirstSteps(film: {
  page: Page
  line: TestLine
  serverUrl: string
  customer: string
  path: string
}): Promise<void> {
  const { page, line, serverUrl, customer } = film
  const frames: Frame[] = []
  const darkroom = await page.context().newPage()
  const shoot = async (ms: number) => {
    // The caret blinks, so it would be in some frames only.
    const png = await page.screenshot({ caret: 'hide' })
    frames.push({ ...(await decode(darkroom, png)), ms })
  }
  const start = `/console/lines/${line.lineId}/start`

  await page.goto(start)
  await shoot(1600)
  await page.goto(`${start}?show=send#send`)
  await shoot(2400)
  await page.goto(`/simulator?phone=${encodeURIComponent(customer)}`)
  await shoot(1200)
  const send = await fetch(new URL(line.webhookPath, page.url()), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ intent: 'message', data: { toNumber: customer, text: 'Your order is ready.' } }),
  })
  if (!send.ok) throw new Error(`the text was refused with ${send.status}`)
  await page.getByText('Your order is ready.').first().waitFor()
  await shoot(1800)
  await page.goto(`${start}#connect`)
  await page.getByLabel("Your server's URL").fill(serverUrl)
  await shoot(1400)
  await page.getByRole('button', { name: 'Save URL' }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText(/Your server returned HTTP 200/).waitFor()
  await shoot(2400)
  await page.goto(`/simulator?phone=${encodeURIComponent(customer)}&line=${encodeURIComponent(line.number)}`)
  await page.getByLabel('Text', { exact: true }).fill('On my way!')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('On my way!').first().waitFor()
  await shoot(1600)
  await page.goto(start)
  await page.getByText('All done.').waitFor()
  await shoot(3200)
  await page.context().close()

  const gif = encode(frames)
  if (gif.length > MAX_BYTES) throw new Error(`the film of the first steps has ${gif.length} bytes`)
  await writeFile(film.path, gif)
}

/** The browser decodes its screenshot. */
async function decode(darkroom: Page, png: Buffer): Promise<Omit<Frame, 'ms'>> {
  const { base64, width, height } = await darkroom.evaluate(
    async (url) => {
      const picture = new Image()
      picture.src = url
      await picture.decode()
      const { naturalWidth: width, naturalHeight: height } = picture
      const canvas = new OffscreenCanvas(width, height)
      const ink = canvas.getContext('2d')
      if (ink === null) throw new Error('there is no canvas')
      ink.drawImage(picture, 0, 0)
      const { data } = ink.getImageData(0, 0, width, height)
      const reader = new FileReader()
      const read = new Promise<string>((resolve) => {
        reader.onload = () => {
          resolve(reader.result as string)
        }
      })
      reader.readAsDataURL(new Blob([data]))
      return { base64: (await read).split(',')[1] ?? '', width, height }
    },
    `data:image/png;base64,${png.toString('base64')}`,
  )
  return { pixels: new Uint8Array(Buffer.from(base64, 'base64')), width, height }
}

/** All frames share one palette. Pixels that did not change are transparent, which compresses to almost nothing. */
function encode(frames: readonly Frame[]): Uint8Array {
  const all = new Uint8Array(frames.reduce((sum, { pixels }) => sum + pixels.length, 0))
  let offset = 0
  for (const { pixels } of frames) {
    all.set(pixels, offset)
    offset += pixels.length
  }
  const palette = [...gifenc.quantize(all, COLOURS), [255, 0, 255]]
  const transparentIndex = palette.length - 1
  const film = gifenc.GIFEncoder()
  let shown: Uint8Array | undefined
  for (const { pixels, width, height, ms } of frames) {
    const indexes = gifenc.applyPalette(pixels, palette.slice(0, -1))
    const before = shown
    const changed =
      before === undefined
        ? indexes
        : indexes.map((each, n) => (each === before[n] ? transparentIndex : each))
    film.writeFrame(changed, width, height, {
      palette,
      delay: ms,
      repeat: 0,
      dispose: 1,
      ...(before === undefined ? {} : { transparent: true, transparentIndex }),
    })
    shown = indexes
  }
  film.finish()
  return film.bytes()
}
