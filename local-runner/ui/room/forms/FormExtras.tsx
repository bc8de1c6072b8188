import { signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { Check } from '../parts/Check'
import { say } from '../words/texts'

/** Whether to wait for a friend whose room is not open yet. */
export const waits = signal(false)

export function WaitChoice() {
  const choose = (isOn: boolean) => {
    waits.value = isOn
  }
  return <Check text={say('wait')} hint={say('waitHint')} isOn={waits.value} onChange={choose} />
}

const allowedText = signal('')

/** The names that the host lets in without being asked. */
export function allowedNames(): readonly string[] {
  const names = allowedText.value.split(/[,，、;；\n]/).map((name) => name.trim())
  return names.filter((name) => name !== '')
}

export function AllowedField() {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{say('allowed')}</label>
      <input
        id={id}
        maxLength={20_000}
        autoComplete="off"
        aria-describedby={`${id}-hint`}
        value={allowedText.value}
        onInput={(event) => {
          allowedText.value = event.currentTarget.value
        }}
      />
      <p class="hint" id={`${id}-hint`}>
        {say('allowedHint')}
      </p>
    </div>
  )
}
