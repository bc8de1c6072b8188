/** Parses JSON, from UTF-8 where it is bytes. @returns undefined when it is not JSON; never throws */
export function parseJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === 'string' ? json : new TextDecoder().decode(json))
  } catch {
    return undefined
  }
}
