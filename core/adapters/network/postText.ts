import { lookup } from 'node:dns'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from '@lantern-room/base/network'
import type { PostText } from '@lantern-room/media/ports'

/**
 * Sends a text by POST. It follows no redirect and reads no response body. A name must resolve to public addresses only; an IP address
 * in the URL, or `localhost`, was allowed where the URL was. Each call opens its own connection, so that the address that was checked
 * is the one that is connected to.
 * @returns the status of the response
 * @throws Error when there is none, or the signal's reason
 * @example await postText('https://photos.example.com/hook', { headers, body: JSON.stringify(event) }, AbortSignal.timeout(10_000))
 */
export const postText: PostText = (url, { headers, body }, signal) => {
  const { protocol, hostname } = new URL(url)
  const isGiven = hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) > 0
  const send = protocol === 'https:' ? tlsRequest : plainRequest
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) }
    const options = { method: 'POST', agent: false, signal, headers: { ...headers, ...length } }
    const request = send(url, isGiven ? options : { ...options, lookup: publicLookup }, (response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
    request.on('error', reject).end(body)
  })
}

/** The system's lookup; fails for a name with an address that is private or of this machine. */
const publicLookup: LookupFunction = (name, options, done) =>
  lookup(name, options, (error, found, family) => {
    const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
    const inside = addresses.some((address) => !isPublicAddress(address))
    done(
      error ?? (inside ? new Error(`${name} leads to an address that is not of the internet`) : null),
      found,
      family,
    )
  })
