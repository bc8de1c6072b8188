import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../shared/Button'
import { leave } from './state/list'
import { list, work } from './state/store'
import { say } from './words/texts'

/** A heading that takes the focus when it comes, and when `when` changes: what is new is there. */
export function Title({ text, when }: { readonly text: string; readonly when: unknown }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [when])
  return (
    <h2 class="grow" ref={heading} tabIndex={-1}>
      {text}
    </h2>
  )
}

/** Closes the file that is open. */
export function Leave() {
  const label = say(list.value.length > 0 ? 'backToList' : 'another')
  return <Button label={label} disabled={work.value !== undefined} act={leave} />
}
