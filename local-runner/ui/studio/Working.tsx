import { Button } from '../shared/Button'
import type { Progress } from './photo/records'
import { cancel, problem } from './state/store'
import { say } from './words/texts'

/** How far the work is, and how to end it. */
export function Working({ progress }: { readonly progress: Progress }) {
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
      <progress aria-labelledby="work" max={100} {...(percent !== undefined && { value: percent })} />
      <p class="row">
        <span class="quiet grow">{details.filter(Boolean).join(' · ')}</span>
        <Button label={say('cancel')} act={cancel} />
      </p>
    </section>
  )
}

/** Why the last work failed. */
export function Problem() {
  if (problem.value === undefined) return null
  const { sentence, detail } = problem.value
  return (
    <div class="problem" role="alert">
      <p>{sentence}</p>
      {detail !== undefined && <small>{detail}</small>}
    </div>
  )
}
