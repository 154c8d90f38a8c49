import { setTimeout as sleep } from 'node:timers/promises';
import { conversion, exposure, MessageFields } from './events';
import { alias, identify } from './linked-visitors';
import { AFTER_EXPOSURE_MS, Traffic, UNTIMED } from './traffic';

/** Creates a visitor's messages. The messages of several such functions are sent concurrently. */
type Deeds = (visitor: number) => MessageFields[];

/** Visitors with several ids. After the exposures, links and conversions arrive concurrently and in any order. */
abstract class LinkingTraffic extends Traffic {
  protected abstract exposures(visitor: number): MessageFields[];
  protected abstract readonly deeds: readonly Deeds[];

  protected override async sendGroup(
    visitors: readonly number[],
    addresses: readonly string[],
  ): Promise<void> {
    await this.deliver(
      visitors.flatMap((visitor) => this.exposures(visitor)),
      addresses,
    );
    await sleep(AFTER_EXPOSURE_MS);
    await Promise.all(this.deeds.map((deed) => this.deliver(visitors.flatMap(deed), addresses)));
  }
}

/** The ids of a visitor: on two devices, after signing in, and after the user id has changed. */
export const idsOf = (visitor: number): [string, string, string, string] => [
  `laptop-${visitor}`,
  `phone-${visitor}`,
  `user-${visitor}`,
  `member-${visitor}`,
];

const sale = (id: string, visitor: number): MessageFields => conversion(id, 'sale', visitor % 7, UNTIMED);

/**
 * Each visitor has four ids, is exposed under the first one and converts once under each. The links go to several
 * servers at the same time, and contain a loop. All links name the user id, so their order determines only which id
 * becomes canonical.
 */
export class SignIns extends LinkingTraffic {
  static readonly CONVERSIONS = 4;

  protected exposures(visitor: number): MessageFields[] {
    return [this.exposureOf(visitor, idsOf(visitor)[0])];
  }

  protected readonly deeds: Deeds[] = [
    (visitor) => [identify(idsOf(visitor)[0], idsOf(visitor)[2])],
    (visitor) => [sale(idsOf(visitor)[2], visitor)],
    (visitor) => [identify(idsOf(visitor)[1], idsOf(visitor)[2])],
    (visitor) => [sale(idsOf(visitor)[1], visitor)],
    (visitor) => [alias(idsOf(visitor)[2], idsOf(visitor)[3]), sale(idsOf(visitor)[3], visitor)],
    (visitor) => [identify(idsOf(visitor)[2], idsOf(visitor)[0])],
    (visitor) => [sale(idsOf(visitor)[0], visitor)],
  ];
}

/**
 * Two users sign in on one device at the same time, and only one of them is linked to the device. All three ids are
 * exposed, so there are two participants in either case.
 */
export class Rivals extends LinkingTraffic {
  static readonly CONVERSIONS = 2;

  protected exposures(visitor: number): MessageFields[] {
    const [device, , one, other] = idsOf(visitor);
    const first = this.exposureOf(visitor, device);
    return [first, this.exposureOf(visitor, one), { ...this.again(first), anonymousId: other }];
  }

  protected readonly deeds: Deeds[] = [
    (visitor) => [identify(idsOf(visitor)[0], idsOf(visitor)[2])],
    (visitor) => [identify(idsOf(visitor)[0], idsOf(visitor)[3])],
    (visitor) => [sale(idsOf(visitor)[0], visitor), sale(idsOf(visitor)[2], visitor)],
    (visitor) => [sale(idsOf(visitor)[0], visitor), sale(idsOf(visitor)[3], visitor)],
  ];

  private again({ properties }: MessageFields): MessageFields {
    const { experiment_id, variation_id } = properties as { experiment_id: number; variation_id: number };
    return exposure('', experiment_id, variation_id, UNTIMED);
  }
}
