import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'label' | 'role' | 'type'> & {
  /** Of the types that can have the same attributes. */
  readonly type?: 'text' | 'search' | 'number' | 'password'
  readonly label: string
  /** Below it: what it is for, or what is wrong with it. */
  readonly hint?: string | undefined
  readonly isWrong?: boolean
  /** Whether it takes the space that the others in its row leave. */
  readonly isWide?: boolean
  readonly onText: (text: string) => void
}

/** A text to be typed. */
export function Field({ label, hint, isWrong, isWide = false, onText, type = 'text', ...input }: FieldProps) {
  const id = useId()
  return (
    <div class={isWide ? 'field grow' : 'field'}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type as 'text'}
        aria-invalid={isWrong}
        aria-describedby={hint && `${id}-hint`}
        onInput={(event) => onText(event.currentTarget.value)}
        {...input}
      />
      {hint !== undefined && (
        <p class={isWrong ? 'problem' : 'hint'} id={`${id}-hint`} aria-live="polite">
          {hint}
        </p>
      )}
    </div>
  )
}

/** Leads to the first field of a form that is wrong, also where it is folded. @returns whether there is one */
export function leadToWrong(form: HTMLElement): boolean {
  const field = form.querySelector<HTMLElement>('[aria-invalid=true]')
  const folded = field?.closest('details')
  if (folded) folded.open = true
  field?.focus()
  return field !== null
}

/** A box to tick, with what it means. */
export function Check(props: {
  readonly label: string
  readonly hint: string | undefined
  readonly isOn: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isOn: boolean) => void
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.isOn}
        disabled={props.isDisabled}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>
        {props.label} {props.hint !== undefined && <small>{props.hint}</small>}
      </span>
    </label>
  )
}

export type SelectProps<Value extends string> = {
  readonly label: string
  readonly value: Value
  readonly values: readonly Value[]
  readonly onPick: (value: Value) => void
  /** The text of a value. */
  readonly children: (value: Value) => ComponentChildren
}

/** One of several values. */
export function Select<Value extends string>({ label, value, values, onPick, children }: SelectProps<Value>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const picked = values.find((one) => one === currentTarget.value)
          if (picked !== undefined) onPick(picked)
        }}
      >
        {values.map((one) => (
          <option key={one} value={one}>
            {children(one)}
          </option>
        ))}
      </select>
    </label>
  )
}
