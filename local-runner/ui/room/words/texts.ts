import status from '#core/room/words/status.json'
import { speak } from '../../shared/language'
import page from './page.json'
import players from './players.json'
import refusals from './refusals.json'

/** The texts of the room page, but those of its status panel and of the players. */
export const say = speak(page)

/** The texts of the players in a room and how they are connected, and of the guests that wait at its door. */
export const playerText = speak(players)

/** What is going on, how far it is, and how to end it. */
export const statusText = speak(status)

/** Why the service has refused an order. */
export const refusalText = speak(refusals)
