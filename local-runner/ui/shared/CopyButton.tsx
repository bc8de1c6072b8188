import { useEffect, useState } from 'preact/hooks'
import { Button } from './Button'
import words from './copyWords.json'
import { speak } from './language'

const say = speak(words)

const SHOWN_MS = 2500

type CopyButtonProps = {
  readonly text: string
  readonly label: string
  readonly isMain?: boolean
  readonly size?: 'small' | 'large'
}

export function CopyButton({ text, label, isMain = true, size }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<keyof typeof words | undefined>(undefined)
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
      <Button label={label} isMain={isMain} size={size} act={copy} />
      <span role="status" class={outcome === 'copied' ? 'success' : 'problem'}>
        {outcome === undefined ? '' : say(outcome)}
      </span>
    </span>
  )
}
