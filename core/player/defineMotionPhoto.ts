import { MotionPhotoElement } from './element/motionPhotoElement'

const TAG = 'motion-photo'

/**
 * Defines the element, once. Where there are no elements, as in Node, it does nothing, so that a page can be rendered there.
 * @param name of the tag. @default 'motion-photo'
 * @example
 * defineMotionPhoto()
 * document.body.append(Object.assign(document.createElement('motion-photo'), { src: 'photo.jpg', alt: 'A wave' }))
 */
export function defineMotionPhoto(name: string = TAG): void {
  const registry = globalThis.customElements
  if (registry === undefined || registry.get(name)) return
  // A class can have one name only.
  registry.define(name, name === TAG ? MotionPhotoElement : class extends MotionPhotoElement {})
}
