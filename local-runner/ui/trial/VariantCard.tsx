import { useState } from 'preact/hooks'
import { DATES, type DateVerdict, OUTCOMES, type Outcome } from '#core/media/trial/outcomes'
import type { VariantRecord } from '#core/media/trial/trialRecord'
import { judge, ownVerdicts, phone } from './store'
import { differsOf, say } from './texts'

/** A photo of the trial: what differs, where it is, and the verdict on it. */
export function VariantCard({ variant, place }: { readonly variant: VariantRecord; readonly place: number }) {
  const { id, file } = variant
  return (
    <li class="card stack variant" id={id}>
      <h2>
        {place}. <code>{id}</code>
      </h2>
      <p>{differsOf(id)}</p>
      <Prediction variant={variant} />
      <a class="button main" href={`files/${file}`} download={file} aria-label={say('downloadThis')(file)}>
        {say('download')}
      </a>
      <small translate={false}>{file}</small>
      <VerdictForm id={id} />
    </li>
  )
}

function Prediction({ variant }: { readonly variant: VariantRecord }) {
  const predicted = variant.galleries.find(({ gallery }) => gallery === phone.value.family)
  if (!predicted) return null
  const { recognised, plays } = predicted
  return <p class="quiet">{say('predicted')(say(plays ? recognised : 'no'))}</p>
}

function VerdictForm({ id }: { readonly id: VariantRecord['id'] }) {
  const given = ownVerdicts.value.get(id)
  const [chosenDate, setDate] = useState<DateVerdict | undefined>(undefined)
  const date = chosenDate ?? given?.date ?? 'unknown'
  const chooseOutcome = (outcome: Outcome) => void judge(id, outcome, date)
  const chooseDate = (chosen: string) => {
    const known = DATES.find((one) => one === chosen)
    if (!known) return
    setDate(known)
    if (given) void judge(id, given.outcome, known)
  }
  return (
    <>
      <fieldset class="outcomes">
        <legend>{say('whatHappens')}</legend>
        {OUTCOMES.map((outcome) => (
          <button
            key={outcome}
            type="button"
            aria-pressed={given?.outcome === outcome}
            onClick={() => chooseOutcome(outcome)}
          >
            {say(outcome)}
          </button>
        ))}
      </fieldset>
      <label class="field">
        <span>{say('date')}</span>
        <select value={date} onChange={(event) => chooseDate(event.currentTarget.value)}>
          {DATES.map((one) => (
            <option key={one} value={one}>
              {say(one)}
            </option>
          ))}
        </select>
      </label>
      <p class="success" role="status">
        {given && say('saved')} {given?.is_unlike_prediction && <span class="unlike">{say('unlike')}</span>}
      </p>
    </>
  )
}
