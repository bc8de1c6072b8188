import { speak } from './language'
import words from './words.json'

/** Texts of all pages. */
export const common = speak(words)
