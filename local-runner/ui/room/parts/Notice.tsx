import { useLayoutEffect, useRef } from 'preact/hooks'
import { Named } from '../../shared/Named'
import { type Place, refusal } from '../service/store'

/** A sentence with what can be done about it. */
export function Notice(props: {
  readonly text: string
  /** A player's name in the text. */
  readonly name?: string
  readonly role?: 'alert' | 'status' | 'alertdialog'
  /** What the buttons say and do; the first one is the main one. */
  readonly actions: readonly (readonly [label: string, act: () => void])[]
  /** Whether Enter answers with the main one; the keyboard is back where it was after that. */
  readonly isFocused?: boolean
}) {
  const before = useRef(document.activeElement)
  // Not after the next frame: it may be answered before.
  useLayoutEffect(() => {
    const { current } = before
    if (!props.isFocused || !(current instanceof HTMLElement)) return
    return () => void requestAnimationFrame(() => current.focus())
  }, [props.isFocused])
  return (
    <section class="notice row" role={props.role} aria-label={props.text}>
      <span class="grow">
        <Named text={props.text} name={props.name} />
      </span>
      {props.actions.map(([label, act], at) => (
        <button
          key={label}
          type="button"
          class={at === 0 ? 'main' : ''}
          ref={props.isFocused && at === 0 ? focus : null}
          onClick={act}
        >
          {label}
        </button>
      ))}
    </section>
  )
}

function focus(button: HTMLElement | null): void {
  button?.focus()
}

/** Why the last press did nothing, beside the button that was pressed. */
export function Refused({ at }: { readonly at: Place }) {
  return refusal.value?.at === at ? <Problem text={refusal.value.text} /> : null
}

/** What is wrong, told at once. */
export function Problem({ text }: { readonly text: string }) {
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  )
}
