import { toStatusRecord } from '#core/room/api/state'
import type { Feed } from '#core/room/service/feed'
import type { RoomState } from '#core/room/service/roomState'

/**
 * The feed's messages, one JSON object per line, as `/ws` sends them; behind each `state` a line of type `status` with the
 * record of `GET /room/status` and the address for the game.
 * @returns a function that ends it
 */
export function writeJsonLines(
  { feed, roomState }: { readonly feed: Feed; readonly roomState: RoomState },
  write: (line: string) => void,
): () => void {
  return feed.subscribe((message) => {
    write(JSON.stringify(message))
    if (message.type !== 'state') return
    const view = roomState.view()
    write(JSON.stringify({ type: 'status', ...toStatusRecord(view), url: view.url }))
  })
}
