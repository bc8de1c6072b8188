import { FAMILIES } from '#core/media/trial/outcomes'
import { describePhone, ownVerdicts, phone } from './store'
import { say } from './texts'

const FIELDS = ['model', 'system', 'gallery'] as const

/** Which phone and gallery the verdicts are of. */
export function PhoneForm() {
  const chooseFamily = (chosen: string) => {
    const family = FAMILIES.find((known) => known === chosen)
    if (family) describePhone({ family })
  }
  return (
    <section class="card stack">
      <h2>{say('phone')}</h2>
      {FIELDS.map((name) => (
        <label key={name} class="field">
          <span>{say(name)}</span>
          <input
            id={name}
            maxLength={80}
            autoComplete="off"
            value={phone.value[name]}
            onInput={(event) => describePhone({ [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <label class="field">
        <span>{say('family')}</span>
        <select value={phone.value.family} onChange={(event) => chooseFamily(event.currentTarget.value)}>
          {FAMILIES.map((family) => (
            <option key={family} value={family}>
              {say(family)}
            </option>
          ))}
        </select>
      </label>
      <p class="quiet" role="status">
        {say('tried')(ownVerdicts.value.size)}
      </p>
    </section>
  )
}
