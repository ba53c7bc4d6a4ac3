"""A client of Venuegate: REST, the stream, and signatures. See README.md.

Client has the REST interface and makes a Stream; sign_hook and verify_event are for programs
that send signals or receive events on their own.
"""

from .book import OrderBook as OrderBook
from .client import KEEP as KEEP
from .client import Client as Client
from .errors import *
from .http import Limits as Limits
from .records import *
from .signing import sign_hook as sign_hook
from .signing import verify_event as verify_event
from .stream import Stream as Stream
from .stream import StreamLimits as StreamLimits
from .subscription import Message as Message
from .subscription import Subscription as Subscription
