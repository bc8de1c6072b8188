import { useState } from 'preact/hooks'
import { Field } from '../../shared/Field'
import { readPort } from '../state/records'
import { say } from '../words/texts'
import { Problem } from './Notice'

/** A port that is typed by its number. */
export function PortForm(props: {
  readonly label: string
  readonly button: string
  readonly hint?: string
  readonly onPort: (port: number) => void
}) {
  const [text, setText] = useState('')
  const typed = readPort(text)
  const isWrong = text.trim() !== '' && typed === undefined
  const submit = (event: Event) => {
    event.preventDefault()
    if (typed === undefined) return
    // At once: what is typed while the service answers stays.
    setText('')
    props.onPort(typed)
  }
  return (
    <>
      <form class="row" onSubmit={submit}>
        <Field
          label={props.label}
          inputMode="numeric"
          maxLength={5}
          value={text}
          isWrong={isWrong}
          onText={setText}
        />
        <button type="submit">{props.button}</button>
      </form>
      {isWrong ? (
        <Problem text={say('portWrong')} />
      ) : (
        props.hint !== undefined && <p class="hint">{props.hint}</p>
      )}
    </>
  )
}
