import type { ComponentChildren } from 'preact'

function icon(shape: ComponentChildren) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" class="icon">
      {shape}
    </svg>
  )
}

export const playIcon = icon(<path d="M7 4.500v15l12-7.500z" />)
export const pauseIcon = icon(<path d="M6 4.500h4v15H6zM14 4.500h4v15h-4z" />)
export const flagIcon = icon(<path d="M5 3h2v18H5zM8 4h11l-3 4 3 4H8z" />)
export const undoIcon = icon(<path d="M9 4 3 9.5 9 15v-3.500h5a3.5 3.5 0 0 1 0 7H8V21h6a6 6 0 0 0 0-12H9z" />)
export const redoIcon = icon(
  <path d="m15 4 6 5.5-6 5.500v-3.500h-5a3.5 3.5 0 0 0 0 7h6V21h-6a6 6 0 0 1 0-12h5z" />,
)
