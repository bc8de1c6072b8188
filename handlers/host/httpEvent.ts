import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda'

/** A request in the form of REST API (version 1), or in that of HTTP API and Function URL (version 2). */
export type HttpEvent = APIGatewayProxyEvent | APIGatewayProxyEventV2

export function isVersion2(event: HttpEvent): event is APIGatewayProxyEventV2 {
  return 'version' in event && event.version === '2.0'
}
