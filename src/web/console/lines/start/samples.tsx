import { Copyable } from '../../secret.js'
import type { Sample } from './sample.js'

/** Shows one program in several languages, of which one is open at a time. `id` is unique on the page. */
export function Samples({ id, samples }: { id: string; samples: readonly Sample[] }) {
  return (
    <div class="samples">
      {samples.map(({ language, title, code, run }, n) => (
        <details key={language} name={id} open={n === 0}>
          <summary>{title}</summary>
          <Copyable id={`${id}-${language}`} text={code} what={`the code in ${title}`} isScrolled />
          <p class="muted">
            {language === 'curl' ? (
              run
            ) : (
              <>
                Save it as <code>{run.split(' ').at(-1)}</code> and run <code>{run}</code>
              </>
            )}
          </p>
        </details>
      ))}
    </div>
  )
}
