import { type Language, textIn } from '@lantern-room/base'
import type { RoomView } from '@lantern-room/room'
import type { Stage } from '@lantern-room/room/client'
import { type Say, status, terminalWords } from '@lantern-room/room/words'
import { printable } from '../../../commandLine/readArguments'
import { changesOf } from './changes'
import type { Questions } from './questions'

const ERASE = '\r\x1b[K'

export type Screen = ReturnType<typeof createScreen>

/**
 * Lines for a person, with one that stays the last.
 * @param isTerminal whether a line can be taken back; elsewhere nothing is kept last
 */
export function createScreen(write: (text: string) => void, isTerminal: boolean) {
  let last: string | undefined
  return {
    line: (text: string) => write(last === undefined ? `${text}\n` : `${ERASE}${text}\n${last}`),
    /** On a terminal, what follows is written above this line. */
    keepLast(text: string): void {
      if (isTerminal) last = text
    },
  }
}

/**
 * Reports events of the room in plain words: one line for each event, with the time since the start.
 * @param options.elapsed milliseconds since the start
 * @param options.questions told of what a host was asked
 * @returns reports what has changed since the last call
 */
export function createReporter(options: {
  readonly screen: Screen
  readonly elapsed: () => number
  readonly hasColour: boolean
  readonly language: Language
  readonly questions?: Questions
}): (view: RoomView) => void {
  const { screen, elapsed, hasColour, language, questions } = options
  const say = terminalWords(language)
  let before: RoomView | undefined
  const bold = (text: string) => (hasColour ? `\x1b[1m${text}\x1b[22m` : text)
  const writeTimed = (text: string) => screen.line(`${(elapsed() / 1000).toFixed(1).padStart(6)} s  ${text}`)

  return (view) => {
    const last = before
    before = view
    const text = last?.stage === view.stage ? undefined : stageText(view, language)
    if (text !== undefined) writeTimed(text)
    for (const event of changesOf(view, last, language)) writeTimed(event)
    questions?.note(view, last)
    if (last?.stage !== view.stage) showInstructions(view, last?.stage)
  }

  /** After the events of the stage, so that the code is the last thing to be read. */
  function showInstructions(view: RoomView, from: Stage | undefined): void {
    if (view.stage === 'Guest_Running' && from === 'Guest_Reconnecting') writeTimed(say('hostIsBack'))
    else for (const line of instructions(view, language, bold)) screen.line(line)
    if (view.stage === 'Host_Running' && view.room !== null)
      screen.keepLast(`  ${say('code', { code: bold(view.room) })} `)
  }
}

/** Instructions for the player in this stage, as a block of lines. */
function instructions(view: RoomView, language: Language, bold: (text: string) => string): readonly string[] {
  const say = terminalWords(language)
  if (view.notice?.code === 'open-world') return [`  ${say('howToOpen')}`]
  if (view.stage === 'Host_Running' && view.room !== null) {
    const edge = `  +${'-'.repeat(view.room.length + 6)}+`
    return ['', `  ${say('sendCode')}`, '', edge, `  |   ${bold(view.room)}   |`, edge, '']
  }
  if (view.stage !== 'Guest_Running') return []
  const address = bold(view.url?.includes(':') ? view.url : `127.0.0.1:${view.gamePort}`)
  return ['', `  ${say('inGame', { address })}`, `  ${say('leaves')}`, '']
}

/** What is going on; in the words of the page where they say all that is known. */
const SENTENCES: Partial<Record<Stage, keyof typeof status>> = {
  Host_GameDetecting: 'sentenceScanning',
  Host_NetworkStarting: 'sentenceOpening',
  Guest_NetworkStarting: 'sentenceConnecting',
  Guest_DiscoveringCenter: 'sentenceFinding',
  Guest_ConnectingScaffolding: 'sentenceForward',
  Guest_Reconnecting: 'sentenceReconnecting',
}

const STAGE_TEXTS: Partial<Record<Stage, (view: RoomView, say: Say) => string>> = {
  Host_ScaffoldingStarting: ({ gamePort: port, worldName: name }, say) => {
    if (port === 0) return say('beforeWorld')
    return name ? say('foundWorld', { name, port }) : say('foundPort', { port })
  },
  Host_Running: ({ network }, say) => nodesText(network, say),
  Guest_Prepare: ({ room }, say) => say('lookingFor', { code: room ?? '' }),
  Guest_Running: ({ worldName: name }, say) => (name ? say('insideWorld', { name }) : say('inside')),
}

function stageText(view: RoomView, language: Language): string | undefined {
  const key = SENTENCES[view.stage]
  if (key) return textIn(language, status[key])
  const text = STAGE_TEXTS[view.stage]?.(view, terminalWords(language))
  return text && printable(text)
}

function nodesText(network: RoomView['network'], say: Say): string {
  const nodes = network?.nodes ?? []
  const reached = nodes.filter(({ state }) => state === 'connected')
  if (nodes.length === 0) return say('roomOpenOnLan')
  return reached.length === 0
    ? say('roomOpenWithoutNodes')
    : say('roomOpenAtNodes', { reached: reached.length, all: nodes.length })
}
