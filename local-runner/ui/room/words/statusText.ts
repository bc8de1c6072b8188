import { STATUS_WORDS } from '#core/room/words/statusWords'
import { speak } from '../../shared/language'

export const statusText = speak(STATUS_WORDS)
