import { z } from '@hono/zod-openapi'
import { commandContract, WRONG_STATE } from '../http/contracts'
import { extraPorts, port } from '../http/fields'
import { postRoute } from '../http/roomRoute'
import { portsOf } from './orderedPorts'

const gameBody = z.object({ gamePort: port }).openapi('GameChoice')

const hostGameContract = commandContract(
  '/room/host/game',
  'Choose or change the world while scanning or hosting',
  { schema: gameBody, required: true },
  WRONG_STATE,
)

export const hostGameRoute = postRoute(hostGameContract, async (context, { service, portGuard }) => {
  const { gamePort } = context.req.valid('json')
  await portGuard.refuse(portsOf({ gamePort }))
  service.chooseGame(gamePort)
  return context.json({ message: `The world on port ${gamePort} is used as soon as it answers.` }, 200)
})

const portsBody = z.object({ ports: extraPorts }).openapi('PortChoice')

const hostPortsContract = commandContract(
  '/room/host/ports',
  'Replace the extra ports of the hosted room',
  { schema: portsBody, required: true },
  WRONG_STATE,
)

export const hostPortsRoute = postRoute(hostPortsContract, async (context, { service, portGuard }) => {
  const { ports } = context.req.valid('json')
  await portGuard.refuse(portsOf({ extraPorts: ports }))
  service.shareOnly(ports)
  return context.json({ message: 'The guests get these ports within seconds.' }, 200)
})
