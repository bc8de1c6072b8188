import { type Environment, readSettings } from '@lantern-room/base/settings'

/** Settings of the handlers themselves, which depend on the deployment. */
export type HandlerConfig = ReturnType<typeof readHandlerConfig>

/** @throws ConfigError */
export function readHandlerConfig(env: Environment) {
  const read = readSettings(env)
  const responseMode = read.choice('RESPONSE_MODE', ['buffer', 'stream'], 'buffer')
  read.finish()
  const isOffline = env.IS_OFFLINE !== undefined
  return {
    /** On a developer's machine, by serverless-offline: it does not stream, and allows responses of any size. */
    isOffline,
    /**
     * `stream` where the gateway streams (a REST API with response transfer mode STREAM, a Function URL with
     * RESPONSE_STREAM): responses may have 200 MB. `buffer` elsewhere: responses may have 6 MB, in base64.
     */
    responseMode: isOffline ? ('buffer' as const) : responseMode,
    /** Bytes of the largest body that the gateway carries. On a developer's machine there is no limit. */
    maxResponseBytes: isOffline ? Number.POSITIVE_INFINITY : MAX_BYTES[responseMode],
  }
}

/**
 * A function may return 6 MB of JSON: 4.5 MB of bytes in base64, with room for the header fields. It may stream 200 MB.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_BYTES = { buffer: 4_500_000, stream: 200_000_000 } as const
