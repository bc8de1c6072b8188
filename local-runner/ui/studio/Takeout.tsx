import type { ComponentChild } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { inWorker } from './photo/inWorker'
import { takeFiles } from './state/list'
import { given, openExport, shown } from './state/takeout'
import type { Picker, Tree } from './takeout/tree'

/** The export that is open, as the worker shows it. */
export function Takeout() {
  const section = useRef<HTMLElement>(null)
  const { stage, trees = [] } = shown.value ?? {}
  useEffect(() => section.current?.querySelector('h2')?.focus(), [stage])
  return (
    <section class="card working takeout" ref={section}>
      {trees.map(elementOf)}
    </section>
  )
}

/** Presses and choices are told to the worker by the names that it gives them. */
function elementOf(tree: Tree): ComponentChild {
  if (typeof tree === 'string') return tree
  const { tag, attributes, children, act, picker } = tree
  const Tag = tag as 'input'
  const own: Record<string, unknown> = { ...attributes, children: children.map(elementOf) }
  if (act) own.onClick = () => void press(act, picker)
  if (own.name) own.onChange = choose
  return <Tag {...own} />
}

function choose({ currentTarget: { name, value, files } }: { readonly currentTarget: HTMLInputElement }) {
  if (files) void openExport([...files].map((file) => ({ file, path: file.webkitRelativePath || file.name })))
  else void inWorker('press', name, value)
}

/** What needs the page: to ask for a place, and to make photos of files that are no export. */
async function press(act: string, [name, options]: Picker = []): Promise<void> {
  const pick = name && (window as Pickers)[name]
  // It rejects when it is closed without a choice.
  const handle = await pick?.(options).catch(() => null)
  if (handle === null) return
  await inWorker('press', act, undefined, handle)
  if (act === 'asList')
    takeFiles(
      given.map(({ file }) => file),
      true,
    )
}

type Pickers = { readonly [Name in NonNullable<Picker[0]>]?: (options: unknown) => Promise<FileSystemHandle> }
