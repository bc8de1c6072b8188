import { useEffect, useState } from 'preact/hooks'
import { common } from './texts'

const SHOWN_MS = 2500

export function CopyButton({
  text,
  label,
  isMain = true,
}: {
  readonly text: string
  readonly label: string
  readonly isMain?: boolean
}) {
  const [outcome, setOutcome] = useState<'copied' | 'copyFailed' | undefined>(undefined)
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('copied'),
      () => setOutcome('copyFailed'),
    )
  return (
    <span class="copy">
      <button type="button" class={isMain ? 'main' : ''} onClick={() => void copy()}>
        {label}
      </button>
      <span role="status" class={outcome === 'copied' ? 'success' : 'problem'}>
        {outcome === undefined ? '' : common(outcome)}
      </span>
    </span>
  )
}
