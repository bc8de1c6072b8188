import { createRoute, z } from '@hono/zod-openapi'
import { html } from 'hono/html'
import { statusPage } from '#core/http/statusPage'
import type { RoomView } from '../service/roomView'
import { GUARDED, SECURITY } from './contracts'
import type { RoomRoute } from './roomRoute'

const pageContract = createRoute({
  method: 'get',
  path: '/',
  summary: 'A page that says what this is',
  security: SECURITY,
  responses: {
    200: { description: 'A page.', content: { 'text/html': { schema: z.string() } } },
    ...GUARDED,
  },
})

export const pageRoute: RoomRoute = {
  contract: pageContract,
  register(app, { meta, roomState }) {
    app.openapi(pageContract, (context) => context.html(roomPage(roomState.view(), meta.version), 200))
  },
}

function roomPage({ state, role, room, failure }: RoomView, version: string) {
  return statusPage({
    title: 'Room service',
    description: 'Hosts a world for friends, or joins theirs, by a room code. A launcher drives it.',
    state: room === null ? state : html`${state} in room <code>${room}</code>`,
    health: state === 'exception' ? 'bad' : role === null ? 'idle' : 'good',
    advice: failure ? `${failure.detail} ${failure.hint}` : undefined,
    version,
  })
}
