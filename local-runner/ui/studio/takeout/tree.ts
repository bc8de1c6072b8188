import type { ComponentChildren, VNode } from 'preact'

/** What the page draws for the worker: a text, or an element. */
export type Tree = string | TreeElement

export type TreeElement = {
  readonly tag: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly children: readonly Tree[]
  /** What the worker is told when it is pressed. */
  readonly act?: string | undefined
  readonly picker?: Picker | undefined
}

/** What asks for a place before, where the browser has it, and its options. */
export type Picker = readonly [name?: 'showDirectoryPicker' | 'showSaveFilePicker', options?: object]

/** The attributes by which an element says this. */
export type Pressed = { readonly act?: string; readonly picker?: Picker | undefined }

/** Components without a state of their own as elements, which can be sent to the page. */
export function treesOf(node: ComponentChildren): readonly Tree[] {
  if (node === null || node === undefined || typeof node === 'boolean') return []
  if (Array.isArray(node)) return node.flatMap(treesOf)
  if (typeof node !== 'object') return [String(node)]
  const { type, props } = node as VNode<Pressed & { readonly children?: ComponentChildren }>
  if (typeof type === 'function') return treesOf((type as (own: object) => ComponentChildren)(props))
  const { children, act, picker, ...attributes } = props
  return [{ tag: type, attributes, children: treesOf(children), act, picker }]
}
