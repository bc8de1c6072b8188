import { z } from '@hono/zod-openapi'
import { commandContract, plainContract } from '../http/contracts'
import { configuredNodes, launcherCustomString } from '../http/fields'
import { getRoute, postRoute } from '../http/roomRoute'

const settingsRecord = z
  .object({
    launcherCustomString: z.string().nullable(),
    scaffoldingPort: z.int(),
    heartbeatMs: z.int(),
    direct: z.boolean(),
    portMapping: z.boolean().openapi({ description: 'Additive: the router is asked to open ports.' }),
    friendRelay: z.boolean().openapi({
      description:
        'Additive: this machine carries for other players of a room, where its order does not say.',
    }),
    friendRelayBytesPerSecond: z.int().openapi({ description: 'Additive: the limit of that.' }),
    private: z.boolean(),
    approval: z.boolean(),
    allowed: z.array(z.string()),
    nodes: z.array(z.string()).openapi({ description: 'Shared nodes of the next room.' }),
    nodesFrom: z.enum(['default', 'environment', 'client']).openapi({
      description:
        'Additive: where `nodes` come from: the program itself, `ROOM_NODES`, or `POST /config/nodes` in this run or an earlier one.',
    }),
    lanInterfaces: z.array(z.string()).nullable(),
    machineId: z.string().openapi({
      description:
        'Of this player, lasting. Other players see another one, which is derived from it for each room.',
    }),
  })
  .openapi('Settings')

export type SettingsRecord = z.infer<typeof settingsRecord>

const settingsContract = plainContract('get', '/config', 'Settings', settingsRecord)

export const settingsRoute = getRoute(settingsContract, 'none', (context, { settings, config, machineId }) =>
  context.json(
    {
      launcherCustomString: settings.launcherCustomString() ?? null,
      scaffoldingPort: config.scaffoldingPort,
      heartbeatMs: config.heartbeatMs,
      direct: config.isDirect,
      portMapping: config.mapsPorts,
      friendRelay: config.friendRelay,
      friendRelayBytesPerSecond: config.friendRelayBytesPerSecond,
      private: config.isPrivate,
      approval: config.admission.needsApproval,
      allowed: [...config.admission.allowed],
      nodes: [...settings.nodes()],
      nodesFrom: settings.nodesFrom(),
      lanInterfaces: config.lanInterfaces ? [...config.lanInterfaces] : null,
      machineId,
    },
    200,
  ),
)

const launcherBody = z.object({ launcherCustomString }).openapi('LauncherChoice')

const launcherContract = commandContract(
  '/config/launcher',
  'Set the launcher custom string',
  { schema: launcherBody, required: false },
  {},
)

export const launcherRoute = postRoute(launcherContract, (context, { settings }) => {
  settings.setLauncherCustomString(context.req.valid('json').launcherCustomString)
  return context.json({ message: 'The launcher custom string is set.' }, 200)
})

const nodesBody = z.object({ nodes: configuredNodes }).openapi('NodeChoice')

const nodesContract = commandContract(
  '/config/nodes',
  'Set the shared nodes of the rooms from now on, also after a restart; null: the configured ones',
  { schema: nodesBody, required: true },
  {},
)

export const nodesRoute = postRoute(nodesContract, async (context, { settings }) => {
  await settings.setNodes(context.req.valid('json').nodes ?? undefined)
  return context.json({ message: 'The next room uses these shared nodes; a running one keeps its own.' }, 200)
})
