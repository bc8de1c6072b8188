import { type ComponentChild, render } from 'preact'

/** Puts the page's content in place of the frame that its HTML has. Both happen before the next paint, so nothing flashes. */
export function draw(content: ComponentChild): void {
  const root = document.getElementById('app')
  if (!root) return
  root.replaceChildren()
  render(content, root)
}
