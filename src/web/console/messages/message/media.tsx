import type { MessageMedia } from '../../../../database/media/reading.js'
import { MediaPlayer } from '../../../media-player.js'
import { explainFailure } from '../../endpoints/failures.js'
import { formatByteCount } from './labels.js'

/** Shows the copies of a message's media, in order. */
export function MediaCopies({ media, label }: { media: readonly MessageMedia[]; label: string }) {
  if (media.length === 0) return null
  return (
    <div class="media-list">
      {media.map((each, n) => (
        <MediaCopy
          key={each.token}
          media={each}
          label={media.length === 1 ? label : `${label} (${n + 1} of ${media.length})`}
        />
      ))}
    </div>
  )
}

/** Shows the copy of one of them, or what has become of it. */
function MediaCopy({ media, label }: { media: MessageMedia; label: string }) {
  switch (media.status) {
    case 'pending':
    case 'fetching':
      return (
        <p class="media">
          Copying…
          {media.failure !== null && ` The last attempt failed: ${explainFailure(media.failure)}`}
        </p>
      )
    case 'failed':
      return (
        <p class="media why">
          The media could not be copied. {explainFailure(media.failure ?? 'media_internal_error')}
        </p>
      )
    case 'stored':
      return (
        <figure class="media">
          {media.isRemoved ? (
            <p>The copy has expired and was deleted.</p>
          ) : (
            <MediaPlayer media={media} label={label} />
          )}
          <figcaption class="muted">{facts(media)}</figcaption>
        </figure>
      )
  }
}

function facts({ contentType, byteCount, width, height }: MessageMedia): string {
  const size = width !== null && height !== null ? [`${width} × ${height}`] : []
  return [contentType ?? '', formatByteCount(byteCount ?? 0), ...size].join(' · ')
}
