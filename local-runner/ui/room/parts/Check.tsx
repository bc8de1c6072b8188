/** A box to tick, with what it means. */
export function Check(props: {
  readonly text: string
  readonly hint: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.isOn}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>
        {props.text} <small>{props.hint}</small>
      </span>
    </label>
  )
}
