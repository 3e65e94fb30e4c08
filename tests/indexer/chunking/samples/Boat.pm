#!/usr/bin/perl
package Harbour::Boat;
use strict;
use constant MOST_BOATS => 40;

our $VERSION = '1.0';
my %berths;

=head1 NAME

A boat with its name.

=cut

sub new {
    my ($class, %args) = @_;
    return bless {%args}, $class;
}

sub moor
{
    local ($self, $berth) = @_;
    $berths{$berth} = $self;
}

package Harbour::Pilot;
sub greet { print "hello" }
1;
