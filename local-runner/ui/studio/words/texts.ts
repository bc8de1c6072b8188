import type { Gallery } from '#core/formats/profiles/profile'
import type { Words } from '#core/language'
import { speak } from '../../shared/language'
import words from './words.json'

/** Every text of the studio, with the names of the galleries by the ids that the API uses. */
export const say = speak(words satisfies Readonly<Record<Gallery, Words>>)
