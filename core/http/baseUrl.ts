/**
 * The address under which the client reached us, without a final slash.
 * @param settings.publicBaseUrl takes precedence when it is set
 * @param settings.basePath what precedes the app's own paths, such as `/dev`; may be empty
 * @param settings.trustProxy whether `X-Forwarded-Proto` and `X-Forwarded-Host` are trusted
 */
export function baseUrl(
  request: { readonly url: string; readonly headers: Headers },
  settings: {
    readonly publicBaseUrl: string | undefined
    readonly trustProxy: boolean
    readonly basePath?: string
  },
): string {
  if (settings.publicBaseUrl !== undefined) return settings.publicBaseUrl
  const url = new URL(request.url)
  const forwarded = (name: string) =>
    settings.trustProxy ? request.headers.get(name)?.split(',')[0]?.trim() : undefined
  const scheme = forwarded('X-Forwarded-Proto')
  const host = forwarded('X-Forwarded-Host')
  const origin = `${scheme === 'http' || scheme === 'https' ? scheme : url.protocol.slice(0, -1)}://${host || url.host}`
  return `${URL.canParse(origin) ? new URL(origin).origin : url.origin}${settings.basePath ?? ''}`
}
