import type { MessageMedia } from '../database/media/reading.js'
import { hostedPath } from '../domain/media/hosting.js'
import { SHOWN } from './media.js'

/** Shows or plays a stored copy by a path of our own host: the page loads nothing from elsewhere. */
export function MediaPlayer({ media, label }: { media: MessageMedia; label: string }) {
  const path = hostedPath(media.token)
  const kind = media.contentType?.split('/')[0]
  if (kind === 'audio') return <audio controls preload="metadata" src={path} aria-label={label} />
  if (kind === 'video' && media.contentType !== 'video/mpeg') {
    return <video controls preload="metadata" src={path} aria-label={label} />
  }
  return (
    <a href={path} target="_blank" rel="noreferrer">
      {kind === 'image' && SHOWN.test(media.contentType ?? '') ? (
        <img src={path} alt={label} loading="lazy" />
      ) : (
        label
      )}
    </a>
  )
}
