import { Logger } from '@aws-lambda-powertools/logger'
import type { Log } from '../media/ports'

/** The log of a Lambda function: structured lines with the request's id, as the console of AWS reads them. */
export function createPowertoolsLog(options: {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
}): Log & { addContext(context: object): void } {
  const levels = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const
  const logger = new Logger({ serviceName: 'motion-photo-api', logLevel: levels[options.level] })
  const entry =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields = {}) =>
      logger[level](message, { ...fields })
  return {
    debug: entry('debug'),
    info: entry('info'),
    warn: entry('warn'),
    error: entry('error'),
    addContext: (context) => logger.addContext(context as Parameters<Logger['addContext']>[0]),
  }
}
