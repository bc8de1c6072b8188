import type { ComponentProps } from 'preact'

type ButtonProps = Pick<ComponentProps<'button'>, 'disabled' | 'title' | 'aria-pressed' | 'lang'> & {
  readonly label: string
  /** What a screen reader says in place of the label, where several buttons have the same one. */
  readonly name?: string
  /** Whether it is what most people want here. */
  readonly isMain?: boolean
  /** Nothing waits for the end of what a press has begun. */
  readonly act: () => unknown
}

export function Button({ label, name, isMain = false, act, ...others }: ButtonProps) {
  return (
    <button
      type="button"
      class={isMain ? 'main' : ''}
      aria-label={name}
      onClick={() => void act()}
      {...others}
    >
      {label}
    </button>
  )
}
