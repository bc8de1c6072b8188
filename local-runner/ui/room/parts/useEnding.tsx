import { useState } from 'preact/hooks'
import { status } from '../service/store'
import { statusText } from '../words/texts'
import { Notice } from './Notice'

/**
 * Ends something, and asks before players lose the world by it. A second press on the same place does not answer.
 * @param word of the button that ends it all the same
 * @returns what the first button does, whether it waits for an answer, and the question
 */
export function useEnding(word: string, end: () => Promise<void>) {
  const [asks, setAsks] = useState(false)
  const { role, players = [], guests = [] } = status.value ?? {}
  // Who has come in may not be named as a player yet, or never.
  const unnamed = guests.filter(({ state }) => state === 'unregistered')
  const named = players.filter(({ kind }) => kind === 'GUEST')
  const inside = role === 'host' ? named.length + unnamed.length : 0
  const isAsking = asks && inside > 0
  const endNow = () => {
    setAsks(false)
    void end()
  }
  return {
    isAsking,
    press: () => (inside > 0 ? setAsks(true) : endNow()),
    question: isAsking && (
      <Notice
        role="alertdialog"
        text={statusText(inside === 1 ? 'closeOne' : 'closeMany', inside)}
        actions={[
          [statusText('keepOpen'), () => setAsks(false)],
          [word, endNow],
        ]}
        isFocused
      />
    ),
  }
}
