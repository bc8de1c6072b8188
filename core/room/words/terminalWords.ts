import { type Language, textIn, type Values } from '#core/language'
import terminal from './terminal.json'

/** What only the command `room` says to a player, in one language; the rest is in the tables beside this one. */
export type Say = (key: keyof typeof terminal, values?: Values) => string

export function terminalWords(language: Language): Say {
  return (key, values) => textIn(language, terminal[key], values)
}
