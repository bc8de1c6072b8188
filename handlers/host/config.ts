import { type Environment, readSettings } from '#core/environment'

/** What a deployment decides about the handlers themselves. */
export type HandlerConfig = {
  /**
   * `stream` where the front door streams (a REST API with response transfer mode STREAM, a Function URL with
   * RESPONSE_STREAM): answers may be 200 MB. `buffer` elsewhere: Lambda then carries 6 MB, in base64.
   */
  readonly responseMode: 'buffer' | 'stream'
  /** On a developer's machine, by serverless-offline: it does not stream, and carries answers of any size. */
  readonly isOffline: boolean
}

/** @throws ConfigError */
export function readHandlerConfig(env: Environment): HandlerConfig {
  const read = readSettings(env)
  const responseMode = read.choice('RESPONSE_MODE', ['buffer', 'stream'], 'buffer')
  read.finish()
  const isOffline = env.IS_OFFLINE !== undefined
  return { isOffline, responseMode: isOffline ? 'buffer' : responseMode }
}
