import type { ComponentChildren, ComponentProps } from 'preact'

type ButtonProps = Pick<ComponentProps<'button'>, 'disabled' | 'title' | 'aria-pressed' | 'lang'> & {
  readonly label: string
  /** A picture before the label, that stands for it where there is no room. */
  readonly icon?: ComponentChildren
  /** What a screen reader says in place of the label, where several buttons have the same one. */
  readonly name?: string
  /** Whether it is what most people want here. */
  readonly isMain?: boolean
  /** Small beside a text or in a row of its kind, large for what the page is for. */
  readonly size?: 'small' | 'large' | undefined
  /** Nothing waits for the end of what a press has begun. */
  readonly act: () => unknown
}

export function Button({ label, name, isMain = false, size, icon, act, ...others }: ButtonProps) {
  return (
    <button
      type="button"
      class={[isMain && 'main', size, icon && 'with-icon'].filter(Boolean).join(' ')}
      aria-label={name}
      onClick={() => void act()}
      {...others}
    >
      {icon}
      {icon ? <span class="label">{label}</span> : label}
    </button>
  )
}
