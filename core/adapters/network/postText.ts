import { lookup } from 'node:dns'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from '#core/addressRanges'
import type { PostText } from '#core/media/ports'

/**
 * Sends a text, follows no redirect and reads no answer. A name must lead to addresses of the internet; where the URL holds an
 * address itself, or `localhost`, whoever allowed the URL has allowed that. Each call opens a connection of its own, so that what is
 * checked is what is connected to.
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

/** The system's, for names none of whose addresses lies in a private network, or on this machine. */
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
