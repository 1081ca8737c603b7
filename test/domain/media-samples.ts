import { crc32 } from 'node:zlib'

/** The least bytes by which a file of each type is known, by the ending of its name. */
export const MEDIA: Record<'picture' | 'recording', Record<string, Buffer>> = {
  picture: {
    png: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    jpg: Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
      Buffer.from('JFIF\0'),
      Buffer.alloc(32),
    ]),
    gif: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  },
  recording: {
    wav: Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'),
    mp3: Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(32)]),
    ogg: Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('\x01vorbis'), Buffer.alloc(24)]),
    opus: Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('OpusHead'), Buffer.alloc(24)]),
    webm: Buffer.from('\x1a\x45\xdf\xa3\x87\x42\x82\x84webm', 'latin1'),
    m4a: boxed('ftypM4A '),
    mp4: boxed('ftypmp42'),
    amr: Buffer.from('#!AMR\n1234567890'),
  },
}

/** What phones send besides, by the content type that it is served with. */
export const SENT_BY_PHONES: Record<string, Buffer> = {
  'image/webp': Buffer.from('RIFF\x24\0\0\0WEBPVP8 \x10\0\0\0', 'latin1'),
  'image/heic': boxed('ftypheic'),
  'application/pdf': Buffer.from('%PDF-1.7\n%âãÏÓ\n'),
  'text/vcard': Buffer.from('BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna\r\nEND:VCARD\r\n'),
  'video/mp4': boxed('ftypmp42'),
  'audio/amr': Buffer.from('#!AMR\n1234567890'),
}

/** What is neither: a page and a drawing would run scripts, were they served as what they are. */
export const NO_MEDIA: Record<string, Buffer> = {
  'an empty file': Buffer.alloc(0),
  'a page': Buffer.from('<!doctype html><script>alert(1)</script>'),
  'a drawing with scripts': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>'),
  'a document': Buffer.from('%PDF-1.7\n%âãÏÓ\n'),
  'an archive': Buffer.from('PK\x03\x04\x14\0\0\0\0\0', 'latin1'),
  'a broken archive': Buffer.from('PK\x03\x04', 'latin1'),
  text: Buffer.from('Hello'),
}

/** A picture of exactly so many bytes. */
export function pictureOf(byteCount: number): Buffer {
  const picture = Buffer.alloc(byteCount)
  MEDIA.picture.png?.copy(picture)
  return picture
}

/** A whole picture of exactly so many bytes: what it lacks is in a chunk that nobody reads. */
export function pngOf(byteCount: number): Buffer {
  const png = MEDIA.picture.png ?? Buffer.alloc(0)
  const end = png.subarray(-12)
  const filler = Buffer.alloc(byteCount - png.length)
  filler.writeUInt32BE(filler.length - 12, 0)
  filler.write('liNe', 4)
  filler.writeUInt32BE(crc32(filler.subarray(4, -4)), filler.length - 4)
  return Buffer.concat([png.subarray(0, -12), filler, end])
}

function boxed(brand: string): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(brand), Buffer.alloc(12)])
}
