import { Button } from '../shared/Button'
import type { Progress } from './photo/records'
import { cancel, problem } from './state/store'
import { say } from './words/texts'

/** How far the work is, and how to end it. @param name of the file, where nothing else shows it */
export function Working({ progress, name }: { readonly progress: Progress; readonly name?: string }) {
  const { percent, seconds_left: left, place } = progress
  const details = [
    percent === undefined ? undefined : `${Math.floor(percent)} %`,
    left === undefined ? undefined : say('secondsLeft', Math.ceil(left)),
    place === undefined ? undefined : say('place', place),
  ]
  return (
    <section class="card working">
      <h2 id="work" aria-live="polite">
        {say(progress.stage)}
      </h2>
      {name && <p>{name}</p>}
      <progress aria-labelledby="work" max={100} {...(percent !== undefined && { value: percent })} />
      <p class="row">
        <span class="quiet grow">{details.filter(Boolean).join(' · ')}</span>
        <Button label={say('cancel')} act={cancel} />
      </p>
      {name && progress.stage === 'sending' && <p class="hint">{say('sendingWhy')}</p>}
    </section>
  )
}

/** Why the last work failed. */
export function Problem() {
  if (problem.value === undefined) return null
  const { sentence, name, step } = problem.value
  return (
    <div class="problem told" role="alert" tabIndex={-1} ref={leadTo}>
      <p>
        {name !== undefined && <strong>{name}</strong>} {sentence}
      </p>
      {step && <Button label={say(step.word)} size="small" act={step.act} />}
    </div>
  )
}

/** On a phone it may be below what is seen. What was pressed is gone: by Tab the next step is reached from here. */
function leadTo(place: HTMLElement | null): void {
  place?.scrollIntoView({ block: 'nearest' })
  if (document.activeElement === document.body) place?.focus({ preventScroll: true })
}
