import { Logger } from '@aws-lambda-powertools/logger'
import { createLog, type LogLevel } from '#core/log'

/** The log of a Lambda function: structured lines with the request's ids, as the console of AWS reads them. */
export function createPowertoolsLog(options: { readonly level: LogLevel }) {
  const levels = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const
  const logger = new Logger({ serviceName: 'motion-photo-api', logLevel: levels[options.level] })
  return {
    ...createLog((level, message, fields) => logger[level](message, { ...fields })),
    /**
     * All following lines belong to this invocation.
     * @param apiRequestId the gateway's own id of the request
     */
    begin(context: object, apiRequestId: string | undefined): void {
      // The sandbox is reused, and would keep the ids of the previous invocation.
      logger.resetKeys()
      logger.addContext(context as Parameters<Logger['addContext']>[0])
      if (apiRequestId !== undefined) logger.appendKeys({ api_request_id: apiRequestId })
    },
  }
}
