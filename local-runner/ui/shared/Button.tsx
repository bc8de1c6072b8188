import type { ComponentProps } from 'preact'

type ButtonProps = Pick<ComponentProps<'button'>, 'disabled' | 'title' | 'aria-pressed' | 'lang'> & {
  readonly label: string
  /** What a screen reader says in place of the label, where several buttons have the same one. */
  readonly name?: string
  /** Whether it is what most people want here. */
  readonly isMain?: boolean
  /** Small beside a text or in a row of its kind, large for what the page is for. */
  readonly size?: 'small' | 'large' | undefined
  /** Nothing waits for the end of what a press has begun. */
  readonly act: () => unknown
}

export function Button({ label, name, isMain = false, size, act, ...others }: ButtonProps) {
  return (
    <button
      type="button"
      class={[isMain && 'main', size].filter(Boolean).join(' ')}
      aria-label={name}
      onClick={() => void act()}
      {...others}
    >
      {label}
    </button>
  )
}
